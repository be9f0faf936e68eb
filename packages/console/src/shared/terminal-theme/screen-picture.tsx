/** The screen of a terminal as a picture that fills its place. */
import { useShownTheme } from '@gatehouse/design/theme';
import { useEffect, useRef } from 'react';
import { drawScreen, type PictureOfScreen } from './draw-screen.ts';
import styles from './screen-picture.module.css';

export function ScreenPicture({ screen }: { screen: PictureOfScreen }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useShownTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page, which has just changed
  useEffect(() => {
    if (canvas.current) drawScreen(canvas.current, screen);
  }, [screen, theme]);
  return <canvas ref={canvas} className={styles.canvas} data-terminal="" />;
}
