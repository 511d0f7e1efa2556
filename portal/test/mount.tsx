import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { firstLanguage, I18nProvider } from '../src/i18n/i18n.tsx';
import { createPortalRouter } from '../src/router.tsx';
import { forgetPlace } from '../src/session/changes.ts';
import { createQueryClient } from '../src/session/query-client.ts';

/** Renders the portal at the current URL. Returns the function that ends it. */
export async function mount(body: HTMLElement): Promise<() => void> {
  forgetPlace();
  const queryClient = createQueryClient();
  const router = createPortalRouter(queryClient);
  const container = body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  const first = await firstLanguage();
  root.render(
    <I18nProvider first={first}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>,
  );
  return () => {
    root.unmount();
    queryClient.clear();
    container.remove();
  };
}
