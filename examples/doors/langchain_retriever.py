"""LangChain: a chat history and a retriever over one memory."""

import sys
from tempfile import TemporaryDirectory

from langchain_core.messages import AIMessage, HumanMessage

from muniment import Memory
from muniment.adapters.langchain import MunimentChatMessageHistory, MunimentRetriever


def main(vault: str) -> None:
    with Memory.open(vault, actor="helper") as memory:
        history = MunimentChatMessageHistory("session-1", memory, user="ada")
        history.add_messages([HumanMessage("I moved to Bern"), AIMessage("Noted.")])
        print(history.messages)
        memory.remember("The train to Bern runs hourly")
        retriever = MunimentRetriever(memory=memory, k=3)
        for document in retriever.invoke("trains to Bern"):
            print(document.page_content, document.metadata["origin"], document.metadata["receipt_id"][:4])


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
