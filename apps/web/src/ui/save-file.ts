/** Time for which the browser can read the content, in milliseconds. Safari on iPhones reads it after the user has confirmed the download. */
const readableMs = 300_000;

/** Starts a browser download of the content. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), readableMs);
}
