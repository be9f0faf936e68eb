/** Where a shell says it is. Nobody can ask it; many say so by themselves at each prompt, and what they say is a hint, never believed. */

const MAX_PATH = 1_024;
/** As many distributions set the title: user@host: folder. */
const IN_TITLE = /^[^\s@:]+@[^\s@:]+: ?([~/].*)$/;

/** What OSC 7 carries: file://HOST/PATH. */
export function folderOfAddress(data: string): string | undefined {
  const [, path] = /^file:\/\/[^/]*(\/.*)$/.exec(data) ?? [];
  if (path === undefined) return undefined;
  try {
    return usable(decodeURIComponent(path));
  } catch {
    return undefined;
  }
}

export function folderOfTitle(title: string): string | undefined {
  const [, path] = IN_TITLE.exec(title) ?? [];
  // Of the login, and not of somebody else: ~root is another home.
  if (path === undefined || (path.startsWith('~') && path !== '~' && !path.startsWith('~/'))) return undefined;
  return usable(path);
}

function usable(path: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no folder that one would go to has them
  return path.length > MAX_PATH || /[\u0000-\u001f\u007f]/.test(path) ? undefined : path;
}
