/** Signs in to a Redis server with what the gateway holds. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { DbFailure } from '../db-failure.ts';
import type { ServerTerms } from '../server-terms.ts';
import { type Answer, readAnswer, type Value } from './read-value.ts';
import { codeOf, command, refusedBy } from './resp.ts';

/** Whoever connects and says nothing is it. */
const DEFAULT_USER = 'default';

export interface SignedIn {
  server: Duplex;
  /** Of the connection, as the server's own `CLIENT LIST` has it. */
  backend: number | undefined;
  version: string;
  /** What came after it was ready. */
  rest: Buffer;
}

/** TLS is there from the first byte: nothing is said before it. */
export async function signIn(bare: Duplex, terms: ServerTerms, signal: AbortSignal): Promise<SignedIn> {
  const proof = proofOf(terms);
  if (!/^(?:0|[1-9]\d{0,9})?$/.test(terms.database))
    throw new DbFailure('refused', `Redis has databases with numbers, and none that is called '${terms.database}'`);
  const server = terms.secure ? await terms.secure(bare) : bare;
  const source = new ByteSource(server);
  const ask = (...words: readonly string[]): Promise<Answer> => {
    server.write(command(...words));
    return readAnswer(source, signal);
  };
  if (proof) agreed(await ask('AUTH', ...proof));
  const told = learnt(await ask('HELLO', '2'));
  if (terms.database !== '' && terms.database !== '0') agreed(await ask('SELECT', terms.database));
  return { server, ...told, rest: source.release() };
}

/** False: the user may not even ask this. Throws what else the server says against it. */
export async function ping({ server, rest }: SignedIn, signal: AbortSignal): Promise<boolean> {
  if (rest.length > 0) server.unshift(rest);
  const source = new ByteSource(server);
  server.write(command('PING'));
  const answer = await readAnswer(source, signal);
  if (!('error' in answer)) return true;
  if (codeOf(answer.error) === 'NOPERM') return false;
  throw refusedBy(answer.error);
}

/** The words behind AUTH; none where the server lets in whoever comes. */
function proofOf({ user, credential, secure, isVerified }: ServerTerms): readonly string[] | undefined {
  const password = credential.method === 'password' ? credential.password : '';
  const name = user === '' ? DEFAULT_USER : user;
  // A user without one is let in with any.
  if (password === '') return name === DEFAULT_USER ? undefined : [name, ''];
  // Only to a server that has shown who it is: whoever else it were would have the password then.
  if (!secure || !isVerified)
    throw new DbFailure('unsafe', 'Redis is told the password itself, which is not sent without TLS that is checked', {
      next: 'switch TLS on for this database and have its certificate checked',
    });
  // Servers before version 6 know no names.
  return name === DEFAULT_USER ? [password] : [name, password];
}

function agreed(answer: Answer): void {
  if ('error' in answer) throw refusedBy(answer.error);
  if (answer.value !== 'OK') throw new DbFailure('malformed', 'it neither agrees nor refuses: is it Redis?');
}

/** An older server does not know the question, and a user may be forbidden to ask it. */
function learnt(answer: Answer): Pick<SignedIn, 'version' | 'backend'> {
  if ('error' in answer) {
    if (codeOf(answer.error) === 'NOPERM' || answer.error.startsWith('ERR unknown command'))
      return { version: '', backend: undefined };
    throw refusedBy(answer.error);
  }
  const list = Array.isArray(answer.value) ? (answer.value as readonly Value[]) : [];
  const of = (name: string): string => {
    const at = list.findIndex((each, index) => index % 2 === 0 && each === name);
    const value = at < 0 ? '' : list[at + 1];
    return typeof value === 'string' ? value : '';
  };
  const id = of('id');
  return { version: of('version').slice(0, 64), backend: /^\d{1,15}$/.test(id) ? Number(id) : undefined };
}
