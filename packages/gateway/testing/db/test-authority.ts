/** Certificates for a database under test: an authority that both sides know, one for the server, one for who signs in. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const EXTENSIONS = `subjectAltName=DNS:localhost,DNS:*.db.localhost,IP:127.0.0.1`;
const SCRIPT = `
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.crt
leaf() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr"
  printf '%s' "$3" > ext.cnf
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -days "\${4:-2}" -extfile ext.cnf -out "$1.crt"
}
leaf server /CN=localhost ${EXTENSIONS}
leaf renewed /CN=localhost ${EXTENSIONS} 90
leaf app /O=test/CN=by_cert extendedKeyUsage=clientAuth
`;

export interface TestAuthority {
  /** As PEM, as all of them. */
  ca: string;
  server: { cert: string; key: string };
  /** The same for longer. */
  renewed: { cert: string; key: string };
  /** Of the user `by_cert`. */
  certificate: { cert: string; key: string };
}

export async function makeTestAuthority(): Promise<TestAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-authority-'));
  try {
    await run('sh', ['-ec', SCRIPT], { cwd: folder });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const pair = (name: string) => ({ cert: read(`${name}.crt`), key: read(`${name}.key`) });
    return { ca: read('ca.crt'), server: pair('server'), renewed: pair('renewed'), certificate: pair('app') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
