/** Whether a command copies files: programs for that are run by their name, and a role may turn them off. Whoever has a shell can still type what copies. */

const COPIERS: ReadonlySet<string> = new Set(['scp', 'rsync', 'sftp-server', 'internal-sftp']);
/** Words before the program itself. */
const BEFORE = /^(?:exec|command|nohup|env|sudo|doas|[A-Za-z_]\w*=\S*|-\S*)$/;

export function isCopy(command: string): boolean {
  const words = command.trim().split(/\s+/);
  const program = words.find((word) => !BEFORE.test(word)) ?? '';
  const name =
    program
      .replaceAll(/["'\\]/g, '')
      .split('/')
      .at(-1) ?? '';
  return COPIERS.has(name);
}
