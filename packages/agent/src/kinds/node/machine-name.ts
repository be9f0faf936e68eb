/** The name a machine gets where nobody gives it one. */
import { nodeName } from '@gatehouse/contract/kinds/node/node-spec';

/** Letters, digits, dots, dashes and underscores of it, beginning and ending with a letter or digit. */
export function nameFrom(text: string): string {
  const made = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 253);
  return nodeName.safeParse(made).success ? made : 'server';
}
