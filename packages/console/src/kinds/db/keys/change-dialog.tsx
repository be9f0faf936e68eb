/** Asks what a key, or a part of it, shall be, and shows the command that does it before it is sent. */
import type { RedisText } from '@gatehouse/contract/kinds/db/editor';
import { CodeBlock } from '@gatehouse/design/code-block';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { commandLine, shownText } from './redis-words.ts';

export type WantedChange =
  | { is: 'rename'; name: RedisText }
  | { is: 'expire'; name: RedisText }
  | { is: 'delete'; name: RedisText }
  | { is: 'set'; name: RedisText; kind: string; part: RedisText; value: RedisText }
  | { is: 'remove'; name: RedisText; kind: string; part: RedisText };

const TITLES: Readonly<Record<WantedChange['is'], WordId>> = {
  rename: 'redis.rename-title',
  expire: 'redis.expire-title',
  delete: 'redis.delete-title',
  set: 'redis.edit-title',
  remove: 'redis.remove-title',
};
const CONFIRM: Readonly<Record<WantedChange['is'], WordId>> = {
  rename: 'redis.rename',
  expire: 'redis.expire-confirm',
  delete: 'redis.delete',
  set: 'redis.edit-confirm',
  remove: 'redis.remove',
};
const LABELS: Readonly<Partial<Record<WantedChange['is'], WordId>>> = {
  rename: 'redis.new-name',
  expire: 'redis.seconds',
  set: 'redis.value',
};
const REMOVES: Readonly<Record<string, string>> = { hash: 'HDEL', set: 'SREM', zset: 'ZREM', stream: 'XDEL' };

interface ChangeDialogProps {
  change: WantedChange;
  onClose: () => void;
  onSend: (line: string) => void;
}

export function ChangeDialog({ change, onClose, onSend }: ChangeDialogProps) {
  const t = useTranslate();
  const given = change.is === 'set' && typeof change.value === 'string' ? change.value : '';
  const [text, setText] = useState(change.is === 'rename' ? shownText(change.name) : given);
  const label = LABELS[change.is];
  const line = commandOf(change, text);
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t(TITLES[change.is], { name: shownText(change.name) })}
      confirmWord={t(CONFIRM[change.is])}
      cancelWord={t('redis.keep')}
      tone={change.is === 'delete' || change.is === 'remove' ? 'danger-solid' : 'primary'}
      onConfirm={() => {
        onClose();
        onSend(line);
      }}
    >
      {label && (
        <TextField
          label={t(label)}
          {...(change.is === 'expire' ? { hint: t('redis.seconds-hint'), type: 'number' as const } : {})}
          mono
          value={text}
          onValueChange={setText}
        />
      )}
      <p>{t('redis.will-send')}</p>
      <CodeBlock label={t('redis.will-send')} code={line} wrap />
    </ConfirmDialog>
  );
}

/** A new name takes no other key's place, and a new text keeps its end. */
export function commandOf(change: WantedChange, text: string): string {
  const { name } = change;
  if (change.is === 'delete') return commandLine('UNLINK', name);
  if (change.is === 'rename') return commandLine('RENAMENX', name, text);
  if (change.is === 'expire')
    return /^[1-9]\d*$/.test(text) ? commandLine('EXPIRE', name, text) : commandLine('PERSIST', name);
  const { kind, part } = change;
  if (change.is === 'remove') return commandLine(REMOVES[kind] ?? '', name, part);
  if (kind === 'hash') return commandLine('HSET', name, part, text);
  if (kind === 'list') return commandLine('LSET', name, part, text);
  if (kind === 'zset') return commandLine('ZADD', name, text, part);
  return commandLine('SET', name, text, 'KEEPTTL');
}
