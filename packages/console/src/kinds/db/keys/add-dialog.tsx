/** Asks for a new key, or for one more entry of a key that is there, and shows the command that adds it before it is sent. */
import type { RedisText } from '@gatehouse/contract/kinds/db/editor';
import { CodeBlock } from '@gatehouse/design/code-block';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { KEY_KINDS, type KeyKind } from './key-kinds.ts';
import { commandLine, shownText } from './redis-words.ts';

/** Without a name: a key that is not there yet. */
export interface WantedEntry {
  name?: RedisText;
  kind: KeyKind;
}

/** What stands beside the value. */
const PARTS: Readonly<Partial<Record<KeyKind, WordId>>> = {
  hash: 'redis.field',
  zset: 'redis.score',
  stream: 'redis.field',
};

interface AddDialogProps {
  entry: WantedEntry;
  onClose: () => void;
  onSend: (line: string, name: RedisText) => void;
}

export function AddDialog({ entry, onClose, onSend }: AddDialogProps) {
  const t = useTranslate();
  const isNew = entry.name === undefined;
  const [typed, setTyped] = useState('');
  const [kind, setKind] = useState(entry.kind);
  const [part, setPart] = useState('');
  const [value, setValue] = useState('');
  const name = entry.name ?? typed;
  const partLabel = PARTS[kind];
  const line = commandToAdd({ kind, name, part, value });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={isNew ? t('redis.new-title') : t('redis.add-title', { name: shownText(name) })}
      confirmWord={t(isNew ? 'redis.new-confirm' : 'redis.add-confirm')}
      cancelWord={t('redis.keep')}
      tone="primary"
      onConfirm={() => {
        onClose();
        onSend(line, name);
      }}
    >
      {isNew && (
        <>
          <TextField label={t('redis.name')} mono value={typed} onValueChange={setTyped} />
          <Select
            label={t('redis.kind')}
            value={kind}
            onValueChange={setKind}
            options={KEY_KINDS.map((each) => ({ value: each, label: each }))}
          />
        </>
      )}
      {partLabel && <TextField label={t(partLabel)} mono value={part} onValueChange={setPart} />}
      <TextField label={t('redis.value')} mono value={value} onValueChange={setValue} />
      <p>{t('redis.will-send')}</p>
      <CodeBlock label={t('redis.will-send')} code={line} wrap />
    </ConfirmDialog>
  );
}

interface Addition {
  kind: KeyKind;
  name: RedisText;
  part: string;
  value: string;
}

/** Nothing that is there already is written over: the server's answer says that it was. */
export function commandToAdd({ kind, name, part, value }: Addition): string {
  switch (kind) {
    case 'string':
      return commandLine('SET', name, value, 'NX');
    case 'hash':
      return commandLine('HSETNX', name, part, value);
    case 'list':
      return commandLine('RPUSH', name, value);
    case 'set':
      return commandLine('SADD', name, value);
    case 'zset':
      return commandLine('ZADD', name, 'NX', part === '' ? '0' : part, value);
    case 'stream':
      return commandLine('XADD', name, '*', part, value);
    default:
      return kind satisfies never;
  }
}
