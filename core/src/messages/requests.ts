import type { Sentences } from './language.ts';

/** About a request as a whole: its headers, its URL and its body. */
export const REQUESTS = {
  'request.json_required': { en: 'a JSON body is required', de: 'Der Inhalt (JSON) fehlt' },
  'request.image_required': { en: 'a body with an image is required', de: 'Das Bild fehlt' },
  'request.host_required': { en: 'the header Host is required', de: 'Der Header Host fehlt' },
  'request.hosts': {
    en: 'the header Host is given more than once',
    de: 'Der Header Host ist mehrmals angegeben',
  },
  'request.broken_off': {
    en: 'the connection ended before the body was complete',
    de: 'Die Verbindung endete, bevor der Inhalt vollständig war',
  },
  'request.wrong_length': {
    en: 'the length of the body differs from Content-Length',
    de: 'Der Inhalt ist nicht so lang wie in Content-Length angegeben',
  },
  'request.bad_url': {
    en: 'the URL cannot be decoded: {reason}',
    de: 'Die URL lässt sich nicht lesen: {reason}',
  },
  'request.not_http': {
    en: 'this is not a valid HTTP request',
    de: 'Das ist keine gültige HTTP-Anfrage',
  },
  'request.not_json': {
    en: 'the body is not valid JSON: {reason}',
    de: 'Der Inhalt ist kein gültiges JSON: {reason}',
  },
  'request.not_utf8': { en: 'it is not UTF-8', de: 'Er ist nicht in UTF-8' },
  'request.not_gzip': {
    en: 'the body is not valid gzip data',
    de: 'Der Inhalt ist nicht mit gzip gepackt oder beschädigt',
  },
  'request.gzip_cut_off': {
    en: 'the gzip data of the body ends too early',
    de: 'Der mit gzip gepackte Inhalt bricht vorzeitig ab',
  },
  'request.no_image': {
    en: 'the body is not a PNG, JPEG or WebP image that can be used: {fault}',
    de: 'Das ist kein brauchbares Bild in PNG, JPEG oder WebP: {fault}',
  },
  'request.image_format': { en: 'its content has another format', de: 'Der Inhalt hat ein anderes Format' },
  'request.image_empty': { en: 'it has no pixels', de: 'Es hat keine Bildpunkte' },
  'request.image_size': {
    en: 'it is {width} × {height} pixels large; neither side may have more than {max}',
    de: 'Es ist {width} × {height} Bildpunkte groß; keine Seite darf mehr als {max} haben',
  },
  'request.image_damaged': {
    en: 'the {format} is cut off or damaged',
    de: 'Das Bild ({format}) ist abgeschnitten oder beschädigt',
  },
} as const satisfies Sentences;
