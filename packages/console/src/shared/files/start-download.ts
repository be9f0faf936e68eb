/** Lets the browser download from an address, in the background, with its own progress and its own resume. */
export function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  // A refusal then shows as a failed download, and the page stays.
  link.download = '';
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
}
