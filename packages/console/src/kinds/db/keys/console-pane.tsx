/** A command line: what was typed, what came back, and what was typed before. */
import { Button } from '@gatehouse/design/button';
import { useKey } from '@gatehouse/design/use-key';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { formatMs } from '../workbench/session/status-line.tsx';
import styles from './keys.module.css';
import type { Said } from './use-commands.ts';

interface ConsolePaneProps {
  name: string;
  /** Where the next command is sent to. */
  database: string;
  said: readonly Said[];
  isReady: boolean;
  isRunning: boolean;
  onSend: (line: string) => void;
  onCancel: () => void;
  onClear: () => void;
}

export function ConsolePane(props: ConsolePaneProps) {
  const { name, database, said, isReady, isRunning, onSend, onCancel, onClear } = props;
  const prompt = (at = database) => `${name}[${at}]>`;
  const t = useTranslate();
  const [line, setLine] = useState('');
  /** How far back, from what is written now. */
  const [back, setBack] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const log = useRef<HTMLDivElement>(null);
  useKey(['`'], () => input.current?.focus());
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever was said last is looked at
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [said]);
  const typed = [...new Set(said.map((each) => each.line))];
  const recall = (to: number) => {
    const next = Math.max(0, Math.min(to, typed.length));
    setBack(next);
    setLine(next === 0 ? '' : (typed.at(-next) ?? ''));
  };
  const hear = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    recall(back + step);
  };
  return (
    <section className={styles.console} aria-label={t('redis.console')}>
      <header className={styles.consoleHead}>
        <h2>{t('redis.console')}</h2>
        <span className={styles.faint}>{t('redis.recorded')}</span>
        {isRunning && (
          <Button size="small" onClick={onCancel}>
            {t('redis.cancel')}
          </Button>
        )}
        <Button size="small" tone="ghost" onClick={onClear} disabled={said.length === 0}>
          {t('redis.clear')}
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      <div ref={log} className={styles.log} role="log" tabIndex={0} aria-label={t('redis.answers')}>
        {said.map((each) => (
          <div key={each.n} className={styles.said}>
            <div>
              <span className={styles.prompt}>{prompt(each.database)}</span> {each.line}
              {each.ms !== undefined && <span className={styles.faint}> {formatMs(each.ms)} ms</span>}
            </div>
            <div className={each.isError ? styles.wrong : undefined}>{each.answer ?? '…'}</div>
          </div>
        ))}
      </div>
      <form
        className={styles.entry}
        onSubmit={(event) => {
          event.preventDefault();
          if (line.trim() === '' || !isReady) return;
          onSend(line);
          setLine('');
          setBack(0);
        }}
      >
        <label className={styles.prompt} htmlFor="redis-line">
          {prompt()}
        </label>
        <input
          id="redis-line"
          ref={input}
          className={styles.input}
          value={line}
          disabled={!isReady}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          aria-label={t('redis.command')}
          onChange={(event) => setLine(event.target.value)}
          onKeyDown={hear}
        />
      </form>
    </section>
  );
}
