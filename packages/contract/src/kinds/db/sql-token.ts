/** A part of a statement, as far as one must tell them apart. */
export interface Token {
  what: 'word' | 'text' | 'end' | 'other';
  from: number;
  to: number;
}
