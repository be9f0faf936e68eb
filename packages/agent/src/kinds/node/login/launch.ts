/** How a program is to be started: everything a terminal or a pipe needs to know. */

export interface Launch {
  file: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}
