import type { Sentences } from './language.ts';

/** About a request as a whole: its headers, its URL and its body. */
export const REQUESTS = {
  'request.json_required': { en: 'a JSON body is required', de: 'der Inhalt (JSON) fehlt' },
  'request.image_required': { en: 'a body with an image is required', de: 'das Bild fehlt' },
  'request.host_required': { en: 'the header Host is required', de: 'der Header Host fehlt' },
  'request.hosts': {
    en: 'the header Host is given more than once',
    de: 'der Header Host ist mehrmals angegeben',
  },
  'request.broken_off': {
    en: 'the connection ended before the body was complete',
    de: 'die Verbindung endete, bevor der Inhalt vollständig war',
  },
  'request.wrong_length': {
    en: 'the length of the body differs from Content-Length',
    de: 'der Inhalt ist nicht so lang wie in Content-Length angegeben',
  },
  'request.bad_url': {
    en: 'the URL cannot be decoded: {reason}',
    de: 'die URL lässt sich nicht lesen: {reason}',
  },
  'request.not_http': {
    en: 'this is not a valid HTTP request',
    de: 'das ist keine gültige HTTP-Anfrage',
  },
  'request.not_json': {
    en: 'the body is not valid JSON: {reason}',
    de: 'der Inhalt ist kein gültiges JSON: {reason}',
  },
  'request.not_utf8': { en: 'it is not UTF-8', de: 'er ist nicht in UTF-8' },
  'request.not_gzip': {
    en: 'the body is not valid gzip data',
    de: 'der Inhalt ist nicht mit gzip gepackt oder beschädigt',
  },
  'request.gzip_cut_off': {
    en: 'the gzip data of the body ends too early',
    de: 'der mit gzip gepackte Inhalt bricht vorzeitig ab',
  },
  'request.no_image': {
    en: 'the body is not a PNG, JPEG or WebP image that can be used: {fault}',
    de: 'das ist kein brauchbares Bild in PNG, JPEG oder WebP: {fault}',
  },
  'request.image_format': { en: 'its content has another format', de: 'der Inhalt hat ein anderes Format' },
  'request.image_empty': { en: 'it has no pixels', de: 'es hat keine Bildpunkte' },
  'request.image_size': {
    en: 'it is {width} × {height} pixels large; neither side may have more than {max}',
    de: 'es ist {width} × {height} Bildpunkte groß; keine Seite darf mehr als {max} haben',
  },
  'request.image_damaged': {
    en: 'the {format} is cut off or damaged',
    de: 'das Bild ({format}) ist abgeschnitten oder beschädigt',
  },
} as const satisfies Sentences;
