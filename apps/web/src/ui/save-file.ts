/** Starts a browser download of the content. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The URL stays valid for a while, because some browsers start reading later.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
