/** Reads the plain part of XML and refuses the rest: what readers see differently is how forged sign-ins get past a signature. */

export interface XmlElement {
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** All that stands directly in it, between its elements too. */
  readonly text: string;
}

export interface XmlAttribute {
  local: string;
  namespace: string;
  value: string;
}

/** Its message continues a sentence that names the document. */
export class XmlRefused extends Error {
  override name = 'XmlRefused';
}

/** It holds more than `maxNodes`. */
export class XmlOverfull extends XmlRefused {
  override name = 'XmlOverfull';
}

export interface XmlRules {
  /** Skipped in settings that people write by hand. Refused in answers: readers differ in whether a comment cuts the text around it. */
  comments: 'refused' | 'skipped';
  /** Elements, attributes, declarations of prefixes and texts together, for what goes on to a library that takes longer than they are many. */
  maxNodes?: number;
}

const MAX_DEPTH = 48;
const MAX_ATTRIBUTES = 64;
/** In force at once. Each element that declares one copies those around it: thousands of both would take seconds. */
const MAX_PREFIXES = 64;
const XML = 'http://www.w3.org/XML/1998/namespace';

const DECLARATION =
  /^<\?xml[ \t\n]+version=(["'])1\.0\1(?:[ \t\n]+encoding=(["'])utf-8\2)?(?:[ \t\n]+standalone=(["'])(?:yes|no)\3)?[ \t\n]*\?>/i;
const OPENING = /<(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)/y;
const ATTRIBUTE = /[ \t\n]+(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)[ \t\n]*=[ \t\n]*(?:"([^<"]*)"|'([^<']*)')/y;
const OPENED = /[ \t\n]*(\/?)>/y;
/** Without the space XML allows behind the name: the reader of the library then closes another element. */
const CLOSING = /<\/([\w.:-]+)>/y;
const BLANK = /^[ \t\n]*$/;
/** No characters of XML; and U+0085, U+2028, which end a line for some readers. */
const FOREIGN = /[^\t\n\u0020-\u0084\u0086-\u2027\u2029-\ufffd]/;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

interface OpenElement {
  name: string;
  local: string;
  namespace: string;
  attributes: readonly XmlAttribute[];
  children: XmlElement[];
  texts: string[];
  prefixes: ReadonlyMap<string, string>;
}

export function readXml(given: string, { comments, maxNodes = Number.POSITIVE_INFINITY }: XmlRules): XmlElement {
  const lines = given.replaceAll(/\r\n?/g, '\n');
  if (!lines.isWellFormed() || FOREIGN.test(lines)) throw new XmlRefused('it holds characters that XML does not have');
  const source = lines.replace(DECLARATION, '');
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let at = 0;
  let nodes = 0;
  /** While it is read: what holds too many is refused at the first that is. */
  const count = (more: number) => {
    nodes += more;
    if (nodes > maxNodes) throw new XmlOverfull(`it holds more than ${maxNodes} elements, attributes and texts`);
  };

  while (at < source.length) {
    const next = source.indexOf('<', at);
    const text = source.slice(at, next === -1 ? source.length : next);
    if (text !== '') count(1);
    takeText(open.at(-1), text);
    if (next === -1) break;
    at = next;
    if (source.startsWith('<!--', at)) {
      at = skipComment(source, at, comments);
    } else if (source.startsWith('</', at)) {
      const [tag, name] = match(CLOSING, source, at);
      const closed = open.pop();
      if (!closed || closed.name !== name) throw new XmlRefused(`</${name}> closes nothing`);
      const element = finished(closed);
      const parent = open.at(-1);
      if (parent) parent.children.push(element);
      else root = element;
      at += tag.length;
    } else {
      if (root) throw new XmlRefused('it has more than one root');
      const { element, isEmpty, end, attributes } = readOpening(source, at, open.at(-1)?.prefixes ?? new Map());
      count(1 + attributes);
      const parent = open.at(-1);
      if (!isEmpty) open.push(element);
      else if (parent) parent.children.push(finished(element));
      else root = finished(element);
      if (open.length > MAX_DEPTH) throw new XmlRefused(`its elements are nested more than ${MAX_DEPTH} deep`);
      at = end;
    }
  }
  if (!root || open.length > 0) throw new XmlRefused('it ends before its root does');
  return root;
}

function finished({ local, namespace, attributes, children, texts }: OpenElement): XmlElement {
  return { local, namespace, attributes, children, text: texts.join('') };
}

function takeText(open: OpenElement | undefined, text: string): void {
  if (text === '') return;
  if (text.includes(']]>')) throw new XmlRefused("it holds ']]>' as text");
  if (open) open.texts.push(decoded(text));
  else if (!BLANK.test(text)) throw new XmlRefused('there is text outside its root');
}

function skipComment(source: string, at: number, comments: XmlRules['comments']): number {
  if (comments === 'refused') throw new XmlRefused('it holds a comment, which can hide part of a name');
  const end = source.indexOf('--', at + 4);
  if (end === -1 || source[end + 2] !== '>') throw new XmlRefused('a comment in it does not end');
  return end + 3;
}

function readOpening(source: string, start: number, outer: ReadonlyMap<string, string>) {
  if (source.startsWith('<!DOCTYPE', start))
    throw new XmlRefused('it holds a DOCTYPE, and with it entities of its own');
  if (source.startsWith('<![CDATA[', start)) throw new XmlRefused('it holds a CDATA section');
  if (source.startsWith('<?', start)) throw new XmlRefused('it holds a processing instruction');
  const [tag, prefix, local] = match(OPENING, source, start);
  let at = start + tag.length;
  const raw: { prefix: string | undefined; local: string; value: string }[] = [];
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(source);
    if (!found) break;
    raw.push({ prefix: found[1], local: found[2]!, value: attributeValue(found[3] ?? found[4]!) });
    if (raw.length > MAX_ATTRIBUTES) throw new XmlRefused(`an element has more than ${MAX_ATTRIBUTES} attributes`);
    at += found[0].length;
  }
  const [end, slash] = match(OPENED, source, at);
  const prefixes = withDeclared(outer, raw);
  const attributes = raw
    .filter((attribute) => !isDeclaration(attribute))
    .map((attribute) => ({
      local: attribute.local,
      namespace: attribute.prefix === undefined ? '' : namespaceOf(prefixes, attribute.prefix),
      value: attribute.value,
    }));
  if (new Set(attributes.map(({ namespace, local }) => `${namespace} ${local}`)).size < attributes.length)
    throw new XmlRefused('an element has the same attribute twice');
  const element: OpenElement = {
    name: prefix === undefined ? local! : `${prefix}:${local}`,
    local: local!,
    namespace: prefix === undefined ? (prefixes.get('') ?? '') : namespaceOf(prefixes, prefix),
    attributes,
    children: [],
    texts: [],
    prefixes,
  };
  return { element, isEmpty: slash === '/', end: at + end.length, attributes: raw.length };
}

function withDeclared(
  outer: ReadonlyMap<string, string>,
  raw: readonly { prefix: string | undefined; local: string; value: string }[],
): ReadonlyMap<string, string> {
  const declared = raw.filter(isDeclaration);
  if (declared.length === 0) return outer;
  const prefixes = new Map(outer);
  const seen = new Set<string>();
  for (const { prefix, local, value } of declared) {
    const name = prefix === undefined ? '' : local;
    if (seen.has(name)) throw new XmlRefused('an element has the same attribute twice');
    seen.add(name);
    if (/^xml/i.test(name) || value === XML || /^http:\/\/www\.w3\.org\/2000\/xmlns/.test(value))
      throw new XmlRefused(`it declares the prefix '${name}' anew`);
    if (name !== '' && value === '') throw new XmlRefused(`it declares the prefix '${name}' for nothing`);
    prefixes.set(name, value);
  }
  if (prefixes.size > MAX_PREFIXES) throw new XmlRefused(`it declares more than ${MAX_PREFIXES} prefixes`);
  return prefixes;
}

function isDeclaration({ prefix, local }: { prefix: string | undefined; local: string }): boolean {
  return prefix === 'xmlns' || (prefix === undefined && local === 'xmlns');
}

function namespaceOf(prefixes: ReadonlyMap<string, string>, prefix: string): string {
  const namespace = prefix === 'xml' ? XML : prefixes.get(prefix);
  if (namespace === undefined) throw new XmlRefused(`it uses the prefix '${prefix}' without declaring it`);
  return namespace;
}

function attributeValue(raw: string): string {
  return decoded(raw.replaceAll(/[\t\n]/g, ' '));
}

function decoded(raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replaceAll(/&([^;&]{0,12};?)/g, (_, reference: string) => {
    const named = ENTITIES.get(reference.slice(0, -1));
    if (named !== undefined && reference.endsWith(';')) return named;
    const number = /^#(?:(\d{1,7})|x([0-9a-fA-F]{1,6}));$/.exec(reference);
    const code = number ? Number.parseInt(number[1] ?? number[2]!, number[1] ? 10 : 16) : Number.NaN;
    if (!isCharacter(code)) throw new XmlRefused(`it holds '&${reference.slice(0, 12)}', which is no plain character`);
    return String.fromCodePoint(code);
  });
}

function isCharacter(code: number): boolean {
  if (code === 0x0d || (code >= 0x10000 && code <= 0x10ffff)) return true;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code <= 0xffff && !isSurrogate && !FOREIGN.test(String.fromCharCode(code));
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  const found = pattern.exec(source);
  if (!found) throw new XmlRefused(`'${source.slice(at, at + 24).replaceAll('\n', ' ')}' is not plain XML`);
  return found;
}
