/** Writes a role as YAML for documents that nobody wrote by hand: keys sorted, so that two writings of one role are equal. */
import { stringify } from 'yaml';

export function writeRole(document: object): string {
  return stringify(document, { sortMapEntries: true, lineWidth: 0, indentSeq: false });
}
