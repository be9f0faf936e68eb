/** Looks for text that was on the screen, lists when it was, and leads there. */
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { failureWords } from '../../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { Marked } from '../../marked.tsx';
import { clockText } from '../../recording-facts.ts';
import styles from './side-panel.module.css';
import type { Find } from './use-find.ts';

interface FindSectionProps {
  text: string;
  find: Find;
  onText: (text: string) => void;
}

const FIRST_HITS = 200;

export function FindSection({ text, find, onText }: FindSectionProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState(text);
  const [sent, setSent] = useState(text);
  if (text !== sent) {
    setSent(text);
    if (text.trim() !== typed.trim()) setTyped(text);
  }
  const change = (next: string) => {
    setTyped(next);
    onText(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && typed !== '') change('');
    else if (event.key === 'Escape') event.currentTarget.blur();
    else return;
    event.preventDefault();
  };
  const hits = find.hits.slice(0, FIRST_HITS);
  return (
    <search className={styles.find}>
      <div className={styles.findRow}>
        <TextField
          type="search"
          label={t('player.find')}
          labelHidden
          placeholder={t('player.find')}
          autoComplete="off"
          spellCheck={false}
          className={styles.findField}
          value={typed}
          busy={find.isFinding}
          end={find.hasLooked && <span className={styles.findCount}>{countWords(t, find)}</span>}
          onValueChange={change}
          onKeyDown={onKeyDown}
        />
        <IconButton
          icon={ArrowUp}
          label={t('player.find-previous')}
          disabled={find.hits.length === 0}
          onClick={() => find.step(-1)}
        />
        <IconButton
          icon={ArrowDown}
          label={t('player.find-next')}
          disabled={find.hits.length === 0}
          onClick={() => find.step(1)}
        />
      </div>
      {find.error && <Notice tone="bad">{t('player.find-failed', { reason: failureWords(t, find.error) })}</Notice>}
      {hits.length > 0 && (
        <ol className={styles.hits}>
          {hits.map((hit, index) => (
            <HitButton
              key={`${hit.ms} ${hit.line}`}
              isCurrent={index === find.at}
              time={clockText(hit.ms)}
              onJump={() => find.jump(index)}
            >
              <Marked line={hit.line} marks={hit.marks} />
            </HitButton>
          ))}
        </ol>
      )}
      <span role="status" className={styles.status}>
        {find.hasLooked && countWords(t, find)}
      </span>
    </search>
  );
}

interface HitButtonProps {
  isCurrent: boolean;
  time: string;
  onJump: () => void;
  children: ReactNode;
}

function HitButton({ isCurrent, time, onJump, children }: HitButtonProps) {
  const [place, setPlace] = useState<HTMLLIElement | null>(null);
  useEffect(() => {
    if (isCurrent) place?.scrollIntoView?.({ block: 'nearest' });
  }, [isCurrent, place]);
  return (
    <li ref={setPlace}>
      <button type="button" className={styles.hit} aria-current={isCurrent || undefined} onClick={onJump}>
        <time>{time}</time>
        {children}
      </button>
    </li>
  );
}

function countWords(t: ReturnType<typeof useTranslate>, { hits, at, isComplete }: Find): string {
  const count = hits.length;
  if (at === undefined) return t(isComplete ? 'player.find-hits' : 'player.find-hits-more', { count });
  return t(isComplete ? 'player.find-at' : 'player.find-at-more', { at: at + 1, count });
}
