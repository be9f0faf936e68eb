/** Says in the operator's words why an address could not be listened on, and what to change. */
import { StartError } from '../std/start-error.ts';
import { type ListenAddress, urlHost } from './address.ts';

const HOW_TO_CHANGE = {
  listen: '--listen <host:port> or GATEHOUSE_LISTEN',
  diagListen: '--diag-listen <host:port> or GATEHOUSE_DIAG_LISTEN',
  'ssh.listen': 'ssh.listen or GATEHOUSE_SSH_LISTEN',
  'databases.mysqlListen': 'databases.mysqlListen or GATEHOUSE_DATABASES_MYSQL_LISTEN',
} as const;

export function listenError(error: unknown, { host, port }: ListenAddress, key: keyof typeof HOW_TO_CHANGE): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const address = `${urlHost(host)}:${port}`;
  const change = `choose another address with ${HOW_TO_CHANGE[key]}`;
  const sentence = {
    EADDRINUSE: `${address} is already in use: stop the program that has it, or ${change}`,
    EACCES: `this user may not listen on ${address}: ports below 1024 are for root, ${change}`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: ${change}`,
    ENOTFOUND: `the name ${host} has no address: ${change}`,
    EAI_AGAIN: `the name ${host} cannot be looked up now: ${change}`,
  }[code];
  if (sentence) return new StartError(sentence, { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}
