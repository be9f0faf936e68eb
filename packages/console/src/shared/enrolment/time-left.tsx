/** How long something still works, counted down. Nothing of it is read out each second. */
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './joining.module.css';

export const LOOK_EVERY_MS = 1_000;

export function TimeLeft({ ms }: { ms: number }) {
  const t = useTranslate();
  return (
    <span role="timer" className={styles.left}>
      {t('joining.left', { left: countdown(ms) })}
    </span>
  );
}

/** "24:16", and "3:59:12" where it is hours. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (count: number) => String(count).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours === 0 ? `${two(minutes)}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}
