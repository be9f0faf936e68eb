/** Shows the command that changes a document, sends it, and says what became of it. */
import { fieldOf, numberIn, textIn } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeMongoLines } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import { CodeBlock } from '@gatehouse/design/code-block';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Notice } from '@gatehouse/design/notice';
import { useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Workbench } from '../workbench/bench/workbench.ts';
import type { WantedWrite } from './document-panel.tsx';

interface WriteDialogProps {
  bench: Workbench;
  slot: number;
  write: WantedWrite;
  onClose: () => void;
  onWritten: () => void;
}

export function WriteDialog({ bench, slot, write, onClose, onWritten }: WriteDialogProps) {
  const t = useTranslate();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const fail = (why: string) => {
    setBusy(false);
    setFailure(why === '' ? t('workbench.cut-off') : asSentence(why));
  };
  const send = () => {
    let answer: string | undefined;
    setBusy(true);
    setFailure(undefined);
    const cancel = bench.follow({ type: 'run', tab: slot, sql: write.text }, (reply) => {
      if (reply.type === 'rows') answer = reply.rows[0]?.[0] ?? undefined;
      else if (reply.type === 'failed') fail(reply.message);
      else if (reply.type === 'done') {
        const why = whyNot(answer);
        if (why === undefined) onWritten();
        else fail(why === 'none' ? t('mongo.write-none') : why);
      }
      return reply.type === 'failed' || reply.type === 'done';
    });
    if (!cancel) fail('');
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t(`mongo.${write.is}-title`)}
      confirmWord={t(`mongo.${write.is}-confirm`)}
      confirmingWord={t('mongo.writing')}
      cancelWord={t('mongo.keep')}
      tone={write.is === 'delete' ? 'danger-solid' : 'primary'}
      confirming={isBusy}
      onConfirm={send}
    >
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      <p>{t(write.is === 'insert' ? 'mongo.will-send' : 'mongo.will-find')}</p>
      <CodeBlock label={t('mongo.will-send')} code={writeMongoLines(readMongo(write.text))} wrap />
    </ConfirmDialog>
  );
}

/** A server answers with what it did, also where that is nothing. */
function whyNot(answer: string | undefined): string | undefined {
  const told = answer === undefined ? undefined : readMongo(answer);
  const errors = fieldOf(told, 'writeErrors');
  const first = errors?.is === 'array' ? errors.values[0] : undefined;
  if (first) return textIn(first, 'errmsg') ?? 'none';
  return numberIn(told, 'n') === 1 ? undefined : 'none';
}
