/** Reads the certificate and key that the configuration names. */
import { readFileSync, statSync } from 'node:fs';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { StartError } from '../std/start-error.ts';
import { type Certificate, checkCertificate } from './certificate.ts';

const MAX_BYTES = 1024 * 1024;

export function readCertificateFiles(files: { cert: string; key: string }, now: number): Certificate {
  const pair = { cert: of('tls.cert', files.cert), key: of('tls.key', files.key) };
  return checkCertificate({ ...pair, certName: `${files.cert} (tls.cert)`, keyName: `${files.key} (tls.key)` }, now);
}

function of(key: string, file: string): string {
  try {
    return readPem(file);
  } catch (error) {
    throw new StartError(`${key}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Throws in words that name the file. */
export function readPem(file: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) throw new StartError(`${file} is too large for a PEM file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = { ENOENT: `there is no file ${file}`, EACCES: `this user may not read ${file}` }[code];
    throw new StartError(reason ?? `cannot read ${file} (${code})`, { cause: error });
  }
}
