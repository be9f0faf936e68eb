/** Whom somebody becomes on a desktop, as they write it: read once, before anything is decided, so that what was allowed is what is signed in. */
import { windowsAccount, windowsDomain } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { foldText } from '../../access/match/pattern.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { ListedDesktop } from './listed-desktop.ts';

export interface DesktopLogin {
  /** As it was written. */
  user: string;
  /** Empty: an account of the machine itself. */
  domain: string;
  /** What roles call it: the account alone where it is of the desktop's own domain, else `domain\account`, and `.\account` for one of the machine. */
  name: string;
}

const LOCAL = '.';

/** `CORP\ann`, `ann@corp.test`, `ann`, and `.\ann` for an account of the machine where the desktop has a domain. */
export function readLogin(typed: string, { spec }: Pick<ListedDesktop, 'spec'>): DesktopLogin {
  const { user, domain } = partsOf(typed);
  if (!windowsAccount.safeParse(user).success) throw wrong(typed);
  if (domain !== undefined && domain !== LOCAL && !windowsDomain.safeParse(domain).success) throw wrong(typed);
  // What it is called elsewhere does not matter: the one that is signed in to is the desktop's own.
  if (domain === undefined || isSameDomain(domain, spec.domain)) return { user, domain: spec.domain, name: user };
  if (domain === LOCAL) return { user, domain: '', name: spec.domain === '' ? user : `${LOCAL}\\${user}` };
  return { user, domain, name: `${domain.toLowerCase()}\\${user}` };
}

/** The key that a password is stored under: Windows does not tell `Ann` from `ann`. */
export function loginKey({ user, domain }: Pick<DesktopLogin, 'user' | 'domain'>): string {
  return `${foldText(domain)}\\${foldText(user)}`;
}

/** As people write it. */
export function loginText({ user, domain }: Pick<DesktopLogin, 'user' | 'domain'>): string {
  return domain === '' ? user : `${domain}\\${user}`;
}

function partsOf(typed: string): { user: string; domain?: string } {
  const text = typed.trim();
  const slash = text.indexOf('\\');
  if (slash >= 0) return { domain: text.slice(0, slash), user: text.slice(slash + 1) };
  const at = text.lastIndexOf('@');
  if (at >= 0) return { user: text.slice(0, at), domain: text.slice(at + 1) };
  return { user: text };
}

/** `CORP` is taken for `corp.test`: sent is the desktop's own writing, so nobody becomes another by it. */
function isSameDomain(typed: string, own: string): boolean {
  if (own === '') return false;
  const [asked, known] = [typed.toLowerCase(), own.toLowerCase()];
  return asked === known || asked === known.split('.')[0] || known === asked.split('.')[0];
}

function wrong(typed: string): AppError {
  const shown = typed.length > 100 ? `${typed.slice(0, 100)}…` : typed;
  return new AppError('bad_request', `'${shown}' is no account: write ann, CORP\\ann or ann@corp.test`);
}
