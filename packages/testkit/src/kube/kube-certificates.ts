/** The authority of the small cluster, its own certificate, and certificates for those who sign in with one. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface CertificatePair {
  cert: string;
  key: string;
}

export interface KubeAuthority {
  /** As PEM, as all of them. */
  ca: string;
  server: CertificatePair;
  /** Of a user, with groups as organisations. */
  issue(user: string, groups: readonly string[]): Promise<CertificatePair>;
}

const NAMES = 'DNS:localhost,DNS:kubernetes,DNS:kubernetes.default.svc,IP:127.0.0.1';
const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
const AUTHORITY = `openssl req -x509 ${KEY} -days 2 -subj /CN=kubernetes -keyout ca.key -out ca.crt`;
const LEAF = `
openssl req -new ${KEY} -subj "$1" -keyout leaf.key -out leaf.csr
printf '%s' "$2" > leaf.ext
openssl x509 -req -in leaf.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile leaf.ext -out leaf.crt`;

export async function makeKubeAuthority(): Promise<KubeAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-kube-authority-'));
  try {
    await run('sh', ['-ec', AUTHORITY], { cwd: folder });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const [ca, caKey] = [read('ca.crt'), read('ca.key')];
    const issue = async (subject: string, extension: string) => {
      const own = mkdtempSync(join(tmpdir(), 'gatehouse-kube-leaf-'));
      try {
        writeFileSync(join(own, 'ca.crt'), ca);
        writeFileSync(join(own, 'ca.key'), caKey, { mode: 0o600 });
        await run('sh', ['-ec', LEAF, 'sh', subject, extension], { cwd: own });
        return { cert: readFileSync(join(own, 'leaf.crt'), 'utf8'), key: readFileSync(join(own, 'leaf.key'), 'utf8') };
      } finally {
        rmSync(own, { recursive: true, force: true });
      }
    };
    return {
      ca,
      server: await issue('/CN=kube-apiserver', `subjectAltName=${NAMES}`),
      issue: (user, groups) =>
        issue(`${groups.map((group) => `/O=${group}`).join('')}/CN=${user}`, 'extendedKeyUsage=clientAuth'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
