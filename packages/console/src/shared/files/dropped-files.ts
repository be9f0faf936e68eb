/** Files that were chosen or dropped, with the folders they lay in. */

export interface ChosenFile {
  file: File;
  /** With the folders before it, as the browser says it. */
  name: string;
}

/** A browser keeps only so much in its hand. */
const MAX_FILES = 10_000;

export function filesOf(list: FileList | readonly File[]): ChosenFile[] {
  return [...list].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
}

/** Call it within the event: what was dropped is taken back right after. */
export async function droppedFiles(data: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null);
  if (entries.length === 0 || entries.some((entry) => entry === undefined)) return filesOf(data.files);
  const found: ChosenFile[] = [];
  for (const entry of entries) if (entry) await walk(entry, '', found);
  return found;
}

async function walk(entry: FileSystemEntry, above: string, found: ChosenFile[]): Promise<void> {
  if (found.length >= MAX_FILES) return;
  const name = above + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ file, name });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Chromium gives a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const each of some) await walk(each, `${name}/`, found);
  }
}
