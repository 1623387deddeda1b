/** Saves the body of an answer as a file of the person's. The browser keeps what is large on disk. */
export async function saveAnswer(answer: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
