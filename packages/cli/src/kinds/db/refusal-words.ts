/** Why a connection did not come about, in the error of the protocol that the program speaks: one that is only cut tells nobody anything. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { printable } from '@gatehouse/contract/std/printable';
import { failureWords } from '../../proxy/own-gateway.ts';

const MAX_WORDS = 500;
const MYSQL = { error: 0xff, accessDenied: 1045, other: 1105 };

type Words = (message: string, isDenied: boolean) => Buffer;

/** Of MongoDB and SQL Server an answer needs the question, which nobody has read. */
const WORDS: Readonly<Partial<Record<DbProtocol, Words>>> = {
  postgres(message, isDenied) {
    const fields = ['SFATAL', 'VFATAL', `C${isDenied ? '28000' : '08006'}`, `M${message}`];
    const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
    const head = Buffer.from('E\0\0\0\0');
    head.writeUInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  },
  /** Instead of a greeting: before one, it has no state of SQL in it. */
  mysql(message, isDenied) {
    const body = Buffer.concat([Buffer.of(MYSQL.error, 0, 0), Buffer.from(message)]);
    body.writeUInt16LE(isDenied ? MYSQL.accessDenied : MYSQL.other, 1);
    const head = Buffer.alloc(4);
    head.writeUIntLE(body.length, 0, 3);
    return Buffer.concat([head, body]);
  },
  redis: (message, isDenied) => Buffer.from(`-${isDenied ? 'NOPERM' : 'ERR'} ${message}\r\n`),
};

const DENIED: ReadonlySet<unknown> = new Set(['denied', 'not_signed_in', 'mfa_required']);

/** Undefined where the protocol has no such words: the connection is reset then. */
export function refusalWords(protocol: DbProtocol, error: unknown): Buffer | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return WORDS[protocol]?.(printable(failureWords(error)).slice(0, MAX_WORDS), DENIED.has(code));
}
