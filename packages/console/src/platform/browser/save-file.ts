/** Hands a file that was made in the page to the browser as a download. */

export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // A browser that asks where to put it reads the file later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
