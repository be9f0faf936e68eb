/** The last screen of a recording as a small picture; asked for when it comes into sight. */
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { ScreenPicture } from '../../../shared/terminal-theme/screen-picture.tsx';
import { DrawnPicture } from '../drawn-picture.tsx';
import { screenQuery } from '../recording-queries.ts';
import styles from './thumbnail.module.css';

interface ThumbnailProps {
  clusterId: string;
  sid: string;
  /** What is shown in its place until there is a picture, or for ever. */
  icon: IconComponent;
  hasPicture: boolean;
  /** It is one, and not text that is drawn here. */
  isDrawn?: boolean;
  /** While the session runs the picture is asked for again. */
  isLive?: boolean;
}

const LIVE_EVERY_MS = 10_000;
/** A row that is only scrolled past is not asked for. */
const REST_MS = 120;

export function Thumbnail({ clusterId, sid, icon, hasPicture, isDrawn = false, isLive = false }: ThumbnailProps) {
  const api = useApi();
  const place = useRef<HTMLSpanElement>(null);
  const isSeen = useSeen(place);
  const { data } = useQuery({
    ...screenQuery(api, clusterId, sid),
    enabled: hasPicture && !isDrawn && isSeen,
    refetchInterval: isLive && isSeen ? LIVE_EVERY_MS : false,
  });
  const none = <Icon of={icon} size={20} className={styles.icon} />;
  return (
    <span ref={place} className={styles.thumbnail} aria-hidden="true">
      {isDrawn && hasPicture && isSeen ? (
        <DrawnPicture clusterId={clusterId} sid={sid} className={styles.drawn}>
          {none}
        </DrawnPicture>
      ) : data ? (
        <ScreenPicture screen={data} />
      ) : (
        none
      )}
    </span>
  );
}

function useSeen(place: React.RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        clearTimeout(timer);
        const isIn = entries.at(-1)?.isIntersecting ?? false;
        timer = setTimeout(() => setSeen(isIn), isIn ? REST_MS : 0);
      },
      { rootMargin: '100px' },
    );
    observer.observe(place.current);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [place]);
  return isSeen;
}
