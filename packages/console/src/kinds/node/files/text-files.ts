/** Whether a file can be worth opening as text: nobody knows before it is read, but size and name tell of many that are not. */
import { type FileEntry, MAX_TEXT_BYTES } from '@gatehouse/contract/kinds/node/files/files';

const NOT_TEXT = new Set(
  [
    '7z a apk avi bin bmp bz2 class db deb dll dmg doc docx dylib exe flac gif gz heic ico img iso jar jpeg jpg ko lz4 m4a',
    'mkv mov mp3 mp4 o odt ogg otf pdf png ppt pptx pyc qcow2 rar rpm so sqlite sqlite3 swp tar tgz tif tiff ttf vdi vmdk war',
    'wasm wav webm webp woff woff2 xls xlsx xz zip zst',
  ].flatMap((names) => names.split(' ')),
);

export function mayBeText({ name, size, type, target }: Pick<FileEntry, 'name' | 'size' | 'type' | 'target'>): boolean {
  if (type !== 'file' && target !== 'file') return false;
  // The size of a link is that of its path.
  if (type === 'file' && size > MAX_TEXT_BYTES) return false;
  const ending = /\.([^.]+)$/.exec(name.toLowerCase())?.[1];
  return ending === undefined || !NOT_TEXT.has(ending);
}
