/**
 * Resolves in a new task: what follows does not block a phone together with what comes before. Not by a timer, which a
 * hidden page delays by up to a minute.
 */
export const newTask = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
