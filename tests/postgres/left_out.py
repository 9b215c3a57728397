"""What `--store postgres` leaves out: tests about the files of a vault, and the longest ones.

A test that looks into files, changes them behind a vault's back or opens them in another process finds none here: what
it shows of files is shown of PostgreSQL by tests of its own. Neither does one that reads documents and opens no memory.
"""

FILES: tuple[str, ...] = (
    "tests/contracts/omir/test_files.py",
    "tests/contracts/omir/test_probes.py",
    "tests/contracts/omir/test_validate_files.py",
    "tests/recall/test_migration.py",
    "tests/unit/engine/test_encryption",
    "tests/walls/test_work.py",
)
"""Every test below these paths."""

ONLY_FILES: dict[str, tuple[str, ...]] = {
    "tests/contracts/akashik/test_lasting.py": ("test_a_store_without_room_says_so_and_still_answers_reads",),
    "tests/contracts/test_adversary_loss.py": (
        "test_a_killed_import_or_rollback_is_there_whole_or_not_at_all",
        "test_the_same_file_taken_in_by_two_processes_at_once_comes_in_once",
    ),
    "tests/recall/test_first_question.py": ("test_what_another_process_just_wrote_is_found_by_its_meaning",),
    "tests/recall/test_model.py": (
        "test_a_folder_that_cannot_be_written_to_leaves_the_words",
        "test_a_vault_knows_no_tenant_by_its_vectors",
        "test_damaged_vectors_are_no_vectors_and_are_made_again",
        "test_vectors_of_a_later_ledger_are_none_of_ours_after_a_backup_was_put_back",
        "test_vectors_that_another_process_still_makes_with_the_old_model_are_left_alone",
    ),
    "tests/recall/test_names.py": ("test_names_that_were_tampered_with_are_reported_and_written_anew",),
    "tests/unit/engine/test_erasure.py": (
        "test_a_store_that_was_left_unscrubbed_is_scrubbed_when_it_is_opened",
        "test_no_spelling_of_any_word_is_in_any_file",
    ),
    "tests/unit/engine/test_erasure_scripts.py": ("test_a_name_is_found_in_all_its_forms_and_no_byte_of_it_is_left",),
    "tests/unit/engine/test_manners.py": ("test_the_log_stays_in_proportion_to_the_file",),
    "tests/unit/engine/test_marker.py": ("test_tenants_without_a_marker_are_no_place_for_a_new_vault",),
    "tests/unit/engine/test_memory.py": (
        "test_a_file_that_is_not_ours_is_refused_and_left_as_it_is",
        "test_another_tenants_file_is_not_taken_for_ones_own",
        "test_every_legal_tenant_has_its_own_file_inside_the_vault",
    ),
    "tests/unit/engine/test_notebook.py": ("test_a_note_that_was_changed_behind_our_back_is_noticed",),
    "tests/unit/engine/test_signing.py": (
        "test_a_handover_that_one_of_its_keys_did_not_sign_is_found",
        "test_a_new_key_does_not_vouch_for_what_came_before_it",
        "test_a_retired_key_signs_no_checkpoint_after_its_rotation",
        "test_a_rotation_that_dies_at_any_touch_leaves_a_vault_that_works_and_is_gone_on_with",
        "test_the_checkpoint_a_key_began_with_is_missed",
    ),
    "tests/unit/engine/test_witness.py": (
        "test_a_vault_that_was_begun_anew_is_refused",
        "test_a_witness_does_not_go_on_to_a_chain_that_is_broken",
        "test_an_older_copy_of_the_vault_is_refused_and_verify_says_why",
        "test_another_past_of_the_same_length_is_refused",
        "test_what_else_was_cut_off_is_missed",
        "test_who_restores_an_older_copy_on_purpose_begins_anew",
    ),
}

LONG: dict[str, tuple[str, ...]] = {
    "tests/contracts/memledger/test_programs.py": (
        "test_sixty_four_callers_on_two_instances_of_one_vault_lose_nothing",
    ),
    "tests/contracts/memledger/test_defects.py": ("test_descendants_are_found_behind_a_thousand_newer_records",),
    "tests/contracts/test_exchange.py": ("test_progress_is_told_while_a_long_file_comes_in",),
    "tests/recall/test_hidden.py": ("test_counts_of_many_matches_do_not_depend_on_as_many_hidden_ones",),
    "tests/recall/test_hostile.py": ("test_one_word_of_a_mebibyte_is_kept_and_harms_nobody",),
    "tests/trust/test_cascade.py": (
        "test_a_thousand_descendants_are_all_reached",
        "test_fifteen_hundred_newer_records_do_not_hide_a_descendant",
    ),
    "tests/trust/test_lineage.py": ("test_a_walk_looks_at_no_more_of_two_thousand_than_it_may_tell",),
    "tests/trust/test_correction.py": (
        "test_whoever_says_the_old_again_is_told_what_took_its_place",
        "test_it_is_the_same_after_replay_and_a_restart",
        "test_what_was_corrected_is_told_and_what_was_said_again_is_not",
    ),
    "tests/trust/test_memledger_defects.py": ("test_newer_rows_do_not_hide_descendants",),
}
"""Thousands of writes each: half a minute for what shorter tests show of the store as well."""


def left_out(nodeid: str) -> bool:
    """Whether a test is left out.

    >>> left_out("tests/recall/test_names.py::test_names_that_were_tampered_with_are_reported_and_written_anew[a]")
    True
    >>> left_out("tests/recall/test_names.py::test_something_else")
    False
    """
    path, _, name = nodeid.partition("::")
    return path.startswith(FILES) or name.split("[")[0] in (*ONLY_FILES.get(path, ()), *LONG.get(path, ()))
