/** Makes of an SSH connection that came to nothing a reason somebody can act on. */
import { parseCertificate, type SshCredential } from '../../../platform/crypto/ssh/certificate.ts';
import type { SshTarget } from './host-trust.ts';
import { SshFailure } from './ssh-failure.ts';

/** What happened on the way. */
export interface LoginTries {
  stage: 'handshake' | 'login';
  /** The server said it would take a certificate, and was given the signature. */
  signed: boolean;
  /** Ways to sign in that the server named last. */
  methods: string[] | undefined;
  /** It wants another proof beside the one it took. */
  partial: boolean;
}

interface Ended {
  node: SshTarget;
  login: string;
  credential: SshCredential;
  tries: LoginTries;
}

const MAX_SAID_LENGTH = 200;

/** What ssh2 says of itself; server text is told apart from it. */
const NO_COMMON = /no matching (key exchange algorithm|host key format|.* cipher|.* MAC|.* compression)/;

export function explainEnd(error: (Error & { level?: string }) | undefined, ended: Ended): SshFailure {
  const { node, tries } = ended;
  if (tries.stage === 'login' && (tries.methods !== undefined || error?.level === 'client-authentication'))
    return explainRefusal(error, ended);
  if (tries.stage === 'login' && tries.signed)
    return new SshFailure(
      'login_refused',
      `the server '${node.name}' closed the connection instead of letting '${ended.login}' in`,
      {
        stage: 'login',
        next: `look into the log of the server: the account '${ended.login}' may be locked or expired there`,
        cause: error,
      },
    );
  const said = plain(error?.message ?? '');
  const noCommon = NO_COMMON.exec(said);
  if (noCommon)
    return new SshFailure('protocol', `the server '${node.name}' and the gateway have no ${noCommon[1]} in common`, {
      stage: tries.stage,
      next: 'update the SSH server, or allow more algorithms in its configuration',
      cause: error,
    });
  if (error?.level === 'handshake' || error?.level === 'protocol')
    return new SshFailure('protocol', `what answers at ${node.addr} does not speak SSH as it should: ${said}`, {
      stage: tries.stage,
      next: `look at what listens at ${node.addr}, and whether something in between cuts connections`,
      cause: error,
    });
  return new SshFailure('lost', `the connection to '${node.name}' was lost${said ? `: ${said}` : ''}`, {
    stage: tries.stage,
    next: `look into the log of the server; it may allow too few connections at once (MaxStartups)`,
    cause: error,
  });
}

/** A server may say anything when it hangs up. */
function plain(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_SAID_LENGTH);
}

/** An SSH server tells nobody whether it knows a login or an authority, or what time it believes it is: the words name all three. */
function explainRefusal(error: Error | undefined, { node, login, credential, tries }: Ended): SshFailure {
  const methods = plain(tries.methods?.join(', ') ?? '');
  const fail = (reason: 'not_accepted' | 'login_refused' | 'other_factor', message: string, next: string) =>
    new SshFailure(reason, message, { stage: 'login', next, cause: error });
  if (tries.partial)
    return fail(
      'other_factor',
      `the server '${node.name}' asks '${login}' for more than a certificate: ${methods}`,
      'take AuthenticationMethods with several methods out of its configuration for logins through the gateway',
    );
  if (tries.signed)
    return fail(
      'login_refused',
      `the server '${node.name}' took the certificate but does not let '${login}' in`,
      `look into the log of the server: the account '${login}' may be locked or expired, or a rule like PermitRootLogin forbids it`,
    );
  if (tries.methods && !tries.methods.includes('publickey'))
    return fail(
      'not_accepted',
      `the server '${node.name}' takes no certificates at all: it offers ${methods || 'nothing'}`,
      'set PubkeyAuthentication yes in its configuration',
    );
  const authorities = credential.certificates.map(({ authority }) => authority).join(', ');
  return fail(
    'not_accepted',
    `the server '${node.name}' refused the certificate for '${login}': it does not trust the authority ${authorities}, has no login '${login}', or its clock is wrong`,
    `put the lines of 'gatehouse ca export' into the file its TrustedUserCAKeys names and reload sshd, look whether '${login}' exists and is allowed there, and compare its clock (date -u): ${validityOf(credential)}`,
  );
}

/** By the gateway's clock, which may just as well be the wrong one. */
function validityOf({ certificates: [first] }: SshCredential): string {
  if (!first) return 'there was no certificate to show';
  const { validAfter, validBefore } = parseCertificate(first.blob);
  return `the certificate is valid from ${new Date(validAfter).toISOString()} to ${new Date(validBefore).toISOString()}`;
}
