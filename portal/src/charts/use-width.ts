import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** The available width in pixels. A chart drawn at its real size keeps the font size of the page. */
export function useWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    // The observer is called after the layout and before the paint. Reading the width here would force a layout of its own.
    const observer = new ResizeObserver(
      ([entry]) => entry && flushSync(() => setWidth(Math.floor(entry.contentRect.width))),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
