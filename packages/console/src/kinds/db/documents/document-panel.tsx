/** One document in whole: to read, to copy, and to change where it can be. Nothing is written before it was shown as a command. */
import { MAX_EDITOR_SQL } from '@gatehouse/contract/kinds/db/editor';
import type { MongoDocument } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { MongoTextError, readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeMongoLines } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { TextArea } from '@gatehouse/design/text-area';
import { useState } from 'react';
import { asSentence, formatBytes, formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type Change, type CollectionName, deleteOf, insertOf, updateOf } from './change-document.ts';
import styles from './documents.module.css';

export interface OpenDocument {
  index: number;
  document: MongoDocument;
  /** How many bytes it has, where not all of it is here. */
  bytes: number | undefined;
  /** Where it may be changed. */
  where: CollectionName | undefined;
}

export type WantedWrite = { is: 'update' | 'insert' | 'delete'; text: string };

interface DocumentPanelProps {
  open: OpenDocument | 'new' | undefined;
  /** Where a new one goes. */
  into: CollectionName | undefined;
  onWrite: (write: WantedWrite) => void;
}

export function DocumentPanel({ open, into, onWrite }: DocumentPanelProps) {
  const t = useTranslate();
  const [editing, setEditing] = useState<MongoDocument>();
  if (open === 'new' && into)
    return (
      <div className={styles.panel}>
        <h2 className={styles.heading}>{t('mongo.new-in', { name: into.collection })}</h2>
        <DocumentForm
          text={'{\n  \n}'}
          changeOf={(next) => insertOf(into, next)}
          onWrite={(text) => onWrite({ is: 'insert', text })}
        />
      </div>
    );
  if (open === undefined || open === 'new') return <p className={styles.none}>{t('mongo.choose')}</p>;
  const { index, document, bytes, where } = open;
  const removal = where && deleteOf(where, document);
  return (
    <div className={styles.panel}>
      <h2 className={styles.heading}>{t('mongo.document', { number: formatNumber(index + 1) })}</h2>
      {bytes !== undefined && <p className={styles.none}>{t('mongo.cut-text', { size: formatBytes(bytes) })}</p>}
      {where && editing === document ? (
        <DocumentForm
          text={writeMongoLines(document)}
          changeOf={(next) => updateOf(where, document, next)}
          onWrite={(text) => onWrite({ is: 'update', text })}
          onCancel={() => setEditing(undefined)}
        />
      ) : (
        <>
          {where && (
            <p className={styles.actions}>
              <Button size="small" onClick={() => setEditing(document)}>
                {t('mongo.edit')}
              </Button>
              {removal && 'text' in removal && (
                <Button size="small" tone="danger" onClick={() => onWrite({ is: 'delete', text: removal.text })}>
                  {t('mongo.delete')}
                </Button>
              )}
            </p>
          )}
          <CodeBlock
            label={t('mongo.document', { number: formatNumber(index + 1) })}
            code={writeMongoLines(document)}
            wrap
          />
        </>
      )}
    </div>
  );
}

interface DocumentFormProps {
  text: string;
  changeOf: (next: MongoDocument) => Change;
  onWrite: (text: string) => void;
  onCancel?: () => void;
}

function DocumentForm({ text: given, changeOf, onWrite, onCancel }: DocumentFormProps) {
  const t = useTranslate();
  const [text, setText] = useState(given);
  const [wrong, setWrong] = useState<string>();
  const review = () => {
    try {
      const value = readMongo(text);
      if (value.is !== 'document') return setWrong(t('mongo.needs-document'));
      const change = changeOf(value);
      if ('why' in change) return setWrong(t(`mongo.why-${change.why}`));
      setWrong(undefined);
      onWrite(change.text);
    } catch (error) {
      if (!(error instanceof MongoTextError)) throw error;
      const line = text.slice(0, error.position).split('\n').length;
      setWrong(t('mongo.wrong-line', { line, why: asSentence(error.message) }));
    }
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        review();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        review();
      }}
    >
      <TextArea
        label={t('mongo.text')}
        mono
        rows={16}
        maxLength={MAX_EDITOR_SQL}
        value={text}
        error={wrong}
        onValueChange={setText}
      />
      <p className={styles.actions}>
        <Button type="submit" size="small" tone="primary">
          {t('mongo.review')}
        </Button>
        {onCancel && (
          <Button size="small" onClick={onCancel}>
            {t('mongo.keep')}
          </Button>
        )}
      </p>
    </form>
  );
}
