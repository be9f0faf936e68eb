/** Why Windows lets somebody not in, by its own numbers, in words. */
import { DesktopFailure } from '../desktop-link.ts';

interface StatusWords {
  code: string;
  message: string;
  next: string;
}

const NEW_PASSWORD = 'set a new password at the machine itself, or have somebody set one, and store that here';

const STATUS: Readonly<Record<number, StatusWords>> = {
  3221225581: {
    code: 'wrong_password',
    message: 'the host does not know this login with this password',
    next: 'look at the login, its domain and its password',
  },
  3221225578: {
    code: 'wrong_password',
    message: 'the password of this login is another one',
    next: 'store the password that it has now',
  },
  3221225572: {
    code: 'wrong_password',
    message: 'the host does not know this login',
    next: 'look at the login and its domain',
  },
  3221226036: {
    code: 'locked',
    message: 'this login is locked after too many wrong passwords',
    next: 'wait until Windows unlocks it, or have it unlocked',
  },
  3221226020: {
    code: 'must_change',
    message: 'this login must change its password before it may sign in',
    next: NEW_PASSWORD,
  },
  3221225585: { code: 'expired', message: 'the password of this login has expired', next: NEW_PASSWORD },
  3221225875: {
    code: 'account_expired',
    message: 'this login has expired',
    next: 'have the account made valid again',
  },
  3221225586: { code: 'disabled', message: 'this login is disabled', next: 'have the account enabled' },
  3221225582: {
    code: 'restricted',
    message: 'a rule of Windows keeps this login out, such as one against empty passwords',
    next: 'give the account a password, or look at its restrictions',
  },
  3221225583: {
    code: 'restricted',
    message: 'this login may not sign in at this time of day',
    next: 'look at the hours of the account',
  },
  3221225584: {
    code: 'restricted',
    message: 'this login may not sign in at this machine',
    next: 'look at the machines that the account may use',
  },
  3221225819: {
    code: 'not_remote',
    message: 'this login may not sign in remotely',
    next: "make it a member of 'Remote Desktop Users' on that machine",
  },
  3221226515: {
    code: 'not_remote',
    message: 'a policy of the domain does not let this login sign in at this machine',
    next: 'look at the authentication policies of the domain',
  },
  3221225566: {
    code: 'no_domain',
    message: 'the host reaches no controller of the domain',
    next: 'look at the network between the host and its domain',
  },
  3221225506: {
    code: 'not_remote',
    message: 'the host denies access to this login',
    next: "make it a member of 'Remote Desktop Users' on that machine",
  },
  3221226231: {
    code: 'no_ntlm',
    message: 'the host refuses NTLM for this login, and Kerberos is not supported yet',
    next: 'let the host take NTLM for this account, or use another account',
  },
  3221226520: {
    code: 'no_ntlm',
    message: 'the host refuses NTLM, and Kerberos is not supported yet',
    next: 'let the host take NTLM for this account, or use another account',
  },
};

/** `status`: undefined where the host gives no reason. */
export function signInRefused(status: number | undefined): DesktopFailure {
  const words = status === undefined ? undefined : STATUS[status];
  if (words) return new DesktopFailure('sign_in', words.code, words.message, { next: words.next });
  const reason = status === undefined ? '' : ` (0x${status.toString(16).toUpperCase().padStart(8, '0')})`;
  return new DesktopFailure('sign_in', 'refused', `the host refuses this login${reason}`, {
    next: 'look at the login, its domain and its password, and at the security log of the host',
  });
}
