/** The line of a cluster's page: what it asks and the gateway answers, in the words of Kubernetes. */
import {
  type BrowseOpening,
  type BrowseReply,
  type BrowseRequest,
  browseReply,
} from '@gatehouse/contract/kinds/kube/browse';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import {
  connectLine,
  hearOfLine,
  isOfLine,
  type LineEars,
  type LineState as LineStateOf,
  type NumberedLine,
  type NumberedLineDeps,
  type WithoutId,
} from '../../../../shared/line/numbered-line.ts';

export type Ready = Extract<BrowseReply, { type: 'ready' }>;
export type Failed = Extract<BrowseReply, { type: 'failed' }>;
export type Answer = Extract<BrowseReply, { id: number }>;
type Numbered = Exclude<Extract<BrowseRequest, { id: number }>, { type: 'ack' | 'cancel' }>;
export type LineState = LineStateOf<Ready>;
export type Question = WithoutId<Numbered>;

/** What is told to whoever waits for an answer that cannot come any more. */
export const LINE_LOST = 'LineLost';

export interface LineDeps extends Omit<NumberedLineDeps<Ready, Answer>, 'hear' | 'lost' | 'opening'> {
  opening: Omit<BrowseOpening, 'type'>;
}

export interface BrowseLine extends Omit<NumberedLine<Answer>, 'tell' | 'forget'> {
  ask(question: Question, hear: (answer: Answer) => boolean): number | undefined;
  /** Nobody wants to hear more of it, and the gateway need not go on. */
  cancel(id: number): void;
}

export function connectBrowse(deps: LineDeps): BrowseLine {
  const { tell, forget, ...line } = connectLine<Ready, Answer>({
    ...deps,
    lost: (id, message) => ({ type: 'failed', id, status: 0, reason: LINE_LOST, message }),
    hear: (data, ears) => hear(data, ears, (request) => tell(request)),
  });
  return {
    ...line,
    cancel: (id) => forget(id) && tell({ type: 'cancel', id } satisfies BrowseRequest),
  };
}

function hear(data: unknown, ears: LineEars<Ready, Answer>, tell: (request: BrowseRequest) => void): void {
  const reply = browseReply.safeParse(parseJson(data)).data;
  if (!reply) return;
  if (isOfLine(reply)) {
    hearOfLine(reply, ears);
    return;
  }
  ears.answer(reply);
  // Taken: the gateway may send more.
  if ('seq' in reply) tell({ type: 'ack', id: reply.id, seq: reply.seq });
}
