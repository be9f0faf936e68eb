/** What the gateway and the thread that checks answers of SAML providers say to each other. */
import type { ConnectorStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import type { GivenAnswer, ProvenAnswer } from '../../saml-answers.ts';

export interface AnswerRequest {
  id: number;
  given: GivenAnswer;
}

export type AnswerMessage =
  /** What comes before counts for nobody: the libraries are loaded by then. */
  { type: 'begun'; id: number; cpu: NodeJS.CpuUsage } | { type: 'done'; id: number; outcome: AnswerOutcome };

/** Errors lose their class on the way. */
export type AnswerOutcome =
  | { proven: ProvenAnswer }
  | { refused: { step: ConnectorStep; message: string } }
  | { error: string };
