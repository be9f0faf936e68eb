/** What to type to reach an application from a program of one's own. */

export function proxyCommand(name: string): string {
  return `gatehouse proxy app ${name}`;
}
