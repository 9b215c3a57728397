-- Revision 5. A suspected conflict can be made an established one.

GRANT UPDATE (contests) ON conflicts TO {writer};
