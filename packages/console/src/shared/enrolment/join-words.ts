/** What the steps of joining say of a kind in its own words; the rest is the same for all of them. */
import type { Area, WordId } from '../../platform/i18n/words.ts';

/** Areas that have them: one that has the first and lacks another does not compile. */
export type JoinWords = { [A in Area]: `${A}.waiting-text` extends WordId ? A : never }[Area];
