/** A place in a role document that can decide; what reasons cite. */
export interface Clause {
  role: string;
  side: 'allow' | 'deny';
  /** `spec.allow.node_labels`, `spec.deny.logins[0]`, `spec.allow.rules[2]`. */
  path: string;
}
