/** The directory that an agent finds desktops in, as its file has it. */
import { readFileSync } from 'node:fs';
import { windowsDomain } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { pemCertificates, resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';

const path = z.string().max(4_096).regex(/^\//, 'must be the whole path of a file');

const pemFile = path.transform((file, context) => {
  try {
    const { data, error } = pemCertificates.safeParse(readFileSync(file, 'utf8'));
    if (data !== undefined) return data;
    context.addIssue({ code: 'custom', message: `${file} ${error?.issues[0]?.message}` });
  } catch (error) {
    context.addIssue({ code: 'custom', message: errorMessage(error) });
  }
  return z.NEVER;
});

/** Of AD; a name with a semicolon or a colon would be asked for as something else. */
const attribute = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'is no name of an attribute');

/** `ldap:` is taken too, and nothing is said there before TLS. */
export const directoryConfig = z
  .strictObject({
    url: z
      .string()
      .max(300)
      .regex(
        /^ldaps?:\/\/[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?$/,
        'must look like ldaps://dc-1.corp.test, or ldap:// where TLS is begun inside (StartTLS)',
      ),
    bindDn: z.string().min(1).max(1_024),
    passwordFile: path,
    baseDn: z.string().min(1).max(1_024),
    /** Beside being a computer. */
    filter: z.string().min(3).max(4_096).startsWith('(').endsWith(')').optional(),
    /** Further attributes, each of which becomes the label ad/NAME. */
    labelAttributes: z.array(attribute).max(16).default([]),
    labels: resourceLabels.default({}),
    /** Who vouches for the directory; those the system knows unless told. */
    ca: pemFile.optional(),
    /** Who vouches for desktops that it names; without it somebody accepts the certificate of each. */
    desktopCa: pemFile.optional(),
    /** Of accounts there; what the base says unless told. */
    domain: windowsDomain.optional(),
    port: z.int().min(1).max(65_535).default(3_389),
  })
  .transform((written, context) => {
    const domain = written.domain ?? domainOf(written.baseDn);
    if (windowsDomain.safeParse(domain).success) return { ...written, domain };
    context.addIssue({
      code: 'custom',
      path: ['domain'],
      message: 'is missing: baseDn does not say it (DC=corp,DC=test)',
    });
    return z.NEVER;
  });
export type DirectoryConfig = z.output<typeof directoryConfig>;

/** `OU=Servers,DC=corp,DC=test` is of `corp.test`. */
export function domainOf(dn: string): string {
  return [...dn.matchAll(/(?:^|,)\s*DC=([^,]+)/gi)].map(([, label = '']) => label.trim().toLowerCase()).join('.');
}
