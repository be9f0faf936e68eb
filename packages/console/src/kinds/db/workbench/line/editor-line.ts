/** The line of a workbench: what its page asks and the gateway answers, in the words of databases. */
import {
  type EditorOpening,
  type EditorReply,
  type EditorRequest,
  editorReply,
} from '@gatehouse/contract/kinds/db/editor';
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

export type Ready = Extract<EditorReply, { type: 'ready' }>;
export type Flow = Extract<EditorReply, { type: 'flow' }>;
export type Answer = Extract<EditorReply, { id: number }>;
export type Numbered = Extract<EditorRequest, { id: number }>;
export type LineState = LineStateOf<Ready>;
export type Question = WithoutId<Numbered>;

/** What is told to whoever waits for an answer that cannot come any more. */
export const LINE_LOST = 'line_lost';

export interface LineDeps extends Omit<NumberedLineDeps<Ready, Answer>, 'hear' | 'lost' | 'opening'> {
  opening: Omit<EditorOpening, 'type'>;
  onFlow: (flow: Flow) => void;
}

export interface EditorLine extends NumberedLine<Answer> {
  ask(question: Question, hear: (answer: Answer) => boolean): number | undefined;
  tell(request: Extract<EditorRequest, { type: 'ack' | 'cancel' | 'close' | 'closeTab' | 'settle' | 'more' }>): void;
}

export function connectEditor(deps: LineDeps): EditorLine {
  return connectLine<Ready, Answer>({
    ...deps,
    lost: (id, message) => ({ type: 'failed', id, code: LINE_LOST, message }),
    hear: (data, ears) => hear(data, ears, deps.onFlow),
  });
}

function hear(data: unknown, ears: LineEars<Ready, Answer>, onFlow: (flow: Flow) => void): void {
  const reply = editorReply.safeParse(parseJson(data)).data;
  if (!reply) return;
  if (isOfLine(reply)) hearOfLine(reply, ears);
  else if (reply.type !== 'flow') ears.answer(reply);
  else {
    ears.waits();
    onFlow(reply);
  }
}
