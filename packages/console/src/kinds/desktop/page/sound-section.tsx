/** Beside the picture: whether what the desktop plays is played here. */
import { Switch } from '@gatehouse/design/switch';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { DesktopView, LiveDesktop } from '../session/live-desktop.ts';
import page from './desktop.module.css';
import styles from './session-panel.module.css';

export function SoundSection({ live, view: { session, isLoud } }: { live: LiveDesktop; view: DesktopView }) {
  const t = useTranslate();
  if (!session) return null;
  return (
    <section className={styles.section}>
      <h2>{t('desktop.sound')}</h2>
      {session.protocol === 'vnc' ? (
        <p className={page.faint}>{t('desktop.sound-vnc')}</p>
      ) : (
        <>
          <Switch label={t('desktop.sound-on')} checked={isLoud} onCheckedChange={(isOn) => live.listen(isOn)} />
          <p className={page.faint}>{t('desktop.sound-text')}</p>
        </>
      )}
    </section>
  );
}
