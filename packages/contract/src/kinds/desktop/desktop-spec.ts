/** What the inventory keeps about a desktop, beside its name and labels, and which of it may be written how. */
import { z } from 'zod';
import { isLineText, STEERING } from '../../std/line-text.ts';
import { hostPort, pemCertificates } from '../../std/resource-fields.ts';

export const DESKTOP_PROTOCOLS = ['rdp', 'vnc'] as const;
export type DesktopProtocol = (typeof DESKTOP_PROTOCOLS)[number];

/** A segment of addresses of the console. */
export const desktopName = z
  .string()
  .max(253, 'must have at most 253 characters')
  .regex(
    /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/,
    'must be lower-case letters, digits, dashes and dots, beginning and ending with a letter or digit: it becomes part of an address',
  );

/** Of Active Directory, in either of its writings: `CORP` or `corp.test`. */
export const windowsDomain = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/, 'must be a domain such as CORP or corp.test');

/** What Windows lets no name of an account hold. Those that stand between an account and its domain are no part of either. */
const NOT_IN_ACCOUNTS = /["/\\[\]:;|=,+*?<>@]/;

/** Without its domain. */
export const windowsAccount = z
  .string()
  .min(1)
  .max(256)
  .refine(isLineText, STEERING)
  .refine((name) => !NOT_IN_ACCOUNTS.test(name), 'holds a character that no account of Windows has');

/** As people write it: `ann`, `CORP\ann` or `ann@corp.test`. */
export const typedLogin = z.string().min(1).max(600).refine(isLineText, STEERING);

/** SHA-256 of the certificate that it shows. */
export const certificatePin = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 digits, as gatehouse desktops shows it');

const tlsName = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    'must be a host name in lower case, without scheme and port',
  );

/** Never learnt by connecting: one that somebody looked at, or one that an authority vouches for under a name. */
export const desktopCertificate = z.union([
  z.strictObject({ pin: certificatePin }),
  z.strictObject({ ca: pemCertificates, name: tlsName }),
]);
export type DesktopCertificate = z.output<typeof desktopCertificate>;

/** Beside name and labels, everything that is written about one: by an administrator, or by an agent. */
export const desktopFields = {
  addr: hostPort,
  protocol: z.enum(DESKTOP_PROTOCOLS).default('rdp'),
  /** Of accounts that are named without one; empty: accounts of the machine itself. */
  domain: z.union([z.literal(''), windowsDomain]).default(''),
  /** Without one nobody is let in by RDP until somebody has looked at it. */
  certificate: desktopCertificate.optional(),
  /** Whether people may type a password where none is stored. */
  askPassword: z.boolean().default(true),
  /** Signing in by certificate, as a smart card, is reserved. */
  signIn: z
    .literal('password', { error: "must be 'password': signing in to desktops by certificate is not there yet" })
    .default('password'),
} as const;

/** What is kept of one: also who proved it, where nobody looked at it. */
const storedCertificate = z.union([
  z.strictObject({
    pin: certificatePin,
    /** The host knew the password of this login, over this very certificate; for others it counts only where it proves as much. */
    provenBy: z.string().max(600).optional(),
  }),
  desktopCertificate.options[1],
]);
export type StoredCertificate = z.output<typeof storedCertificate>;

/** What an agent announces. */
export const offeredDesktopSpec = z.object(desktopFields);
export type OfferedDesktopSpec = z.output<typeof offeredDesktopSpec>;

/** What is stored; only what was entered by hand names an agent that dials it. */
export const desktopSpec = z.object({
  ...desktopFields,
  certificate: storedCertificate.optional(),
  /** Id of the agent that reaches it; empty: the gateway dials. */
  through: z.string().max(64).default(''),
});
export type DesktopSpec = z.output<typeof desktopSpec>;

export interface StoredDesktop {
  spec: DesktopSpec;
  /** Why nobody is let in by it until somebody changes it; empty where nothing is wrong. */
  wrong: string;
}

/** What was stored may be older than a rule that it breaks: it is read as far as it can be, so that it is seen and changed. */
export function readStoredDesktop(stored: unknown): StoredDesktop {
  const read = desktopSpec.safeParse(stored);
  if (read.success) return { spec: read.data, wrong: '' };
  const [issue] = read.error.issues;
  const given = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  const shape: Readonly<Record<string, z.ZodType>> = desktopSpec.shape;
  const readable = Object.fromEntries(given.filter(([name, value]) => shape[name]?.safeParse(value).success));
  const spec = desktopSpec.parse({ addr: 'unknown:1', ...readable });
  return {
    spec: { ...spec, addr: typeof readable.addr === 'string' ? readable.addr : '' },
    wrong: `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  };
}
