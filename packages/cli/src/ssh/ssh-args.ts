/** Finds in what ssh and scp are told which server is meant, and tells them to come to the gateway for it. */
import { printable } from '@gatehouse/contract/std/printable';
import { Failure } from '../runtime/failure.ts';

export interface Destination {
  login: string;
  server: string;
}

export interface ReadArgs extends Destination {
  /** What is to run there, for people; empty for a shell. */
  command: string;
  /** The same arguments, with the gateway in place of the server. */
  through(host: string): string[];
  /** Whether a configuration of their own is named. */
  hasConfig: boolean;
  /** The same arguments, for a host where one becomes that user. */
  as(user: string, host: string): string[];
}

export interface ReadSshArgs extends ReadArgs {
  /** Nothing but the server is named. */
  isPlain: boolean;
}

/** Letters that take a value. */
const SSH_VALUES = new Set('BbcDEeFIiJLlmOoPpQRSWw');
const SCP_VALUES = new Set('cDFiJloPSX');

/** Undefined where a letter takes none. */
interface Option {
  at: number;
  letter: string;
  value: string | undefined;
}

export function readSshArgs(args: readonly string[], self: string): ReadSshArgs {
  const { options, rest } = split(args, SSH_VALUES);
  const destination = args[rest];
  if (destination === undefined) throw new Failure('usage', 'say which server: gatehouse ssh root@web-1');
  const named = options.find(({ letter }) => letter === 'l')?.value;
  const { login, server } = readDestination(destination, named ?? self);
  refusePorts(options, 'p');
  const before = args.slice(0, rest).filter((arg, at) => arg !== '--' && !isOf(options, 'l', at));
  const as = (user: string, host: string) => [...before, '-l', user, '--', host, ...args.slice(rest + 1)];
  return {
    ...{ login, server, command: args.slice(rest + 1).join(' ') },
    hasConfig: options.some(({ letter }) => letter === 'F'),
    ...{ as, isPlain: before.length === 0 && rest === args.length - 1 },
    through: (host) => as(`${login}@${server}`, host),
  };
}

export function readScpArgs(args: readonly string[], self: string): ReadArgs {
  const { options, rest } = split(args, SCP_VALUES);
  const files = args.slice(rest).map((file) => ({ file, remote: remoteIn(file) }));
  const remotes = files.flatMap(({ remote }) => (remote ? [readDestination(remote.host, self)] : []));
  const [first] = remotes;
  if (!first) throw new Failure('usage', 'say which server: gatehouse scp notes.txt root@web-1:/tmp');
  if (remotes.some(({ login, server }) => login !== first.login || server !== first.server))
    throw new Failure('usage', 'copy from one server at a time');
  refusePorts(options, 'P');
  const as = (user: string, host: string) => [
    ...args.slice(0, rest).filter((arg) => arg !== '--'),
    '--',
    ...files.map(({ file, remote }) =>
      remote ? `${user}@${host.includes(':') ? `[${host}]` : host}:${remote.path}` : file,
    ),
  ];
  return {
    ...{ ...first, command: ['scp', ...args].join(' '), as },
    hasConfig: options.some(({ letter }) => letter === 'F'),
    through: (host) => as(`${first.login}@${first.server}`, host),
  };
}

function split(args: readonly string[], values: ReadonlySet<string>): { options: Option[]; rest: number } {
  const options: Option[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') return { options, rest: at + 1 };
    if (!arg.startsWith('-') || arg === '-') break;
    for (let letter = 1; letter < arg.length; letter += 1) {
      const name = arg[letter] ?? '';
      if (!values.has(name)) {
        options.push({ at, letter: name, value: undefined });
        continue;
      }
      const here = arg.slice(letter + 1);
      options.push({ at, letter: name, value: here === '' ? args[at + 1] : here });
      if (here === '') at += 1;
      break;
    }
  }
  return { options, rest: at };
}

/** Whether the argument there is that option, or its value. */
function isOf(options: readonly Option[], letter: string, at: number): boolean {
  return options.some((option) => option.letter === letter && (option.at === at || option.at + 1 === at));
}

function refusePorts(options: readonly Option[], letter: string): void {
  if (options.some((option) => option.letter === letter))
    throw new Failure('usage', `leave -${letter} out: the gateway knows where the server is`);
}

function readDestination(given: string, self: string): Destination {
  const at = given.lastIndexOf('@');
  const [login, server] = at < 0 ? [self, given] : [given.slice(0, at), given.slice(at + 1)];
  if (login === '' || !/^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*$/u.test(server))
    throw new Failure('usage', `'${printable(given)}' is no server: write it like root@web-1`);
  return { login, server };
}

/** `[login@]server:path`; what has a slash before its colon is a file here. */
function remoteIn(file: string): { host: string; path: string } | undefined {
  const match = /^([^/:]+):(.*)$/s.exec(file);
  return match ? { host: match[1] ?? '', path: match[2] ?? '' } : undefined;
}
