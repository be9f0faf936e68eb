/** Checks answers of SAML without a thread: what it costs is seen in the test. */
import { proveAnswer } from '../../src/identity/connectors/providers/saml/answer/prove-answer.ts';
import type { SamlAnswers } from '../../src/identity/connectors/providers/saml-answers.ts';

export const proveHere: SamlAnswers = {
  prove: (_, given) => proveAnswer(given),
  warm() {},
  close: async () => {},
};
