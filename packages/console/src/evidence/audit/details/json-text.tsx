/** JSON in colours. What is long stays plain: a span for each of its pieces would hold the page up. */
import { CodePiece, type CodeTone } from '@gatehouse/design/code-block';

const MAX_COLOURED = 20_000;
const PIECE = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

interface Token {
  text: string;
  tone: CodeTone | undefined;
}

export function JsonText({ text }: { text: string }) {
  if (text.length > MAX_COLOURED) return text;
  return piecesOf(text).map(({ text: part, tone }, index) =>
    tone ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
      <CodePiece key={index} tone={tone}>
        {part}
      </CodePiece>
    ) : (
      part
    ),
  );
}

function piecesOf(text: string): Token[] {
  const pieces: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    const [whole, quoted, colon, plain] = match;
    pieces.push({ text: text.slice(end, match.index), tone: undefined });
    pieces.push({ text: quoted ?? plain ?? '', tone: quoted ? (colon ? 'keyword' : 'string') : 'number' });
    if (colon) pieces.push({ text: colon, tone: undefined });
    end = match.index + whole.length;
  }
  pieces.push({ text: text.slice(end), tone: undefined });
  return pieces.filter((piece) => piece.text !== '');
}
