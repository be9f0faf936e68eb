/** Which fields of a command hold a password, or what proves one: they are written nowhere. */

const SECRETS: ReadonlyMap<string, string> = new Map([
  ['saslstart', 'payload'],
  ['saslcontinue', 'payload'],
  ['authenticate', 'key'],
]);
/** Of any command: `pwd` of users, `ldapQueryPassword` and others of the server's parameters, and those that are still to come. */
const PASSWORD = /^pwd$|passw(?:or)?d/i;

/** `command`: as it was written. The fields of documents are not meant: those are what people keep. */
export function isSecretField(command: string, field: string): boolean {
  return PASSWORD.test(field) || SECRETS.get(command.toLowerCase()) === field;
}
