/** Fields that were given, without those that are there and say nothing: spread over others, they would take theirs away. */
export function withoutMissing<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
