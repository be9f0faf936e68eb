/** What the system calls by a number or an abbreviation, in words an operator knows. */

const WORDS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's quota of the disk is used up",
  EROFS: 'the disk is mounted read-only',
  EMFILE: 'this process has as many files and connections open as it may (ulimit -n)',
  ENFILE: 'this machine has as many files and connections open as it may',
};

/** The error as one line; what the system said stands behind, for whoever looks it up. */
export function toldError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = 'code' in error ? WORDS[String(error.code)] : undefined;
  const message = error.message || error.name;
  return words === undefined ? message : `${words} (${message})`;
}
