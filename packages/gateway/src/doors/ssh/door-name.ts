/** What a program calls whom it wants to be and where: `root@web-1`, or `root@web-1+CLUSTER` to say which cluster it means. */

export interface DoorName {
  login: string;
  /** The first of these that there is. */
  servers: readonly string[];
}

const MAX_NAME = 512;
const MAX_HOST = 253;
/** What steers a terminal or turns the order of letters round: names are shown to who approves, and in logs. */
const STEERING = /\p{C}|\p{Zl}|\p{Zp}/u;

/** Undefined: it names no server. Split at the last `@`: logins may have one, names of servers have none. */
export function readDoorName(name: string, clusterName: string): DoorName | undefined {
  const at = name.lastIndexOf('@');
  if (at <= 0 || at === name.length - 1 || name.length > MAX_NAME || STEERING.test(name)) return undefined;
  return { login: name.slice(0, at), servers: [withoutCluster(name.slice(at + 1), `+${clusterName}`)] };
}

export function isPlainName(host: string): boolean {
  return host !== '' && host.length <= MAX_HOST && !STEERING.test(host);
}

/** Undefined: nobody is called so. */
export function readJump(login: string, host: string, clusterName: string): DoorName | undefined {
  if (login.length > MAX_NAME || STEERING.test(login) || !isPlainName(host)) return undefined;
  return { login, servers: serverNames(host, clusterName) };
}

/** What a jump is asked for: its exact name first, so that a server may be called as the others end. */
function serverNames(host: string, clusterName: string): string[] {
  const plain = withoutCluster(host, `+${clusterName}`);
  // Said with a plus the cluster is named already, and no name has one: what is left is the name.
  if (plain !== host) return [plain];
  const short = withoutCluster(host, `.${clusterName}`);
  return short === host ? [host] : [host, short];
}

/** Names of hosts are the same in capitals; of what is asked for nothing else is. */
function withoutCluster(name: string, ending: string): string {
  const isEnding = name.length > ending.length && name.toLowerCase().endsWith(ending.toLowerCase());
  return isEnding ? name.slice(0, -ending.length) : name;
}
