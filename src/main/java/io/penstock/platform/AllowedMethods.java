package io.penstock.platform;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Singleton;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The methods of each path, for the {@code Allow} of a 405, which the framework leaves out. */
@Singleton
class AllowedMethods {

    private final Map<String, Set<String>> byPattern = new HashMap<>();

    AllowedMethods(BeanManager beans) {
        for (Bean<?> bean : beans.getBeans(Object.class, Any.Literal.INSTANCE)) {
            Path root = bean.getBeanClass().getAnnotation(Path.class);
            if (root != null) {
                for (Method method : bean.getBeanClass().getMethods()) {
                    add(root, method);
                }
            }
        }
    }

    private void add(Path root, Method method) {
        for (Annotation annotation : method.getAnnotations()) {
            HttpMethod http = annotation.annotationType().getAnnotation(HttpMethod.class);
            if (http != null) {
                Path rest = method.getAnnotation(Path.class);
                Set<String> methods = byPattern.computeIfAbsent(
                        (root.value() + (rest == null ? "" : rest.value())).replaceAll("\\{[^}]+}", "[^/]+"),
                        path -> new TreeSet<>(Set.of(HttpMethod.OPTIONS)));
                methods.add(http.value());
                if (http.value().equals(HttpMethod.GET)) {
                    methods.add(HttpMethod.HEAD);
                }
            }
        }
    }

    /** In alphabetical order. */
    Set<String> of(String path) {
        Set<String> methods = new TreeSet<>();
        byPattern.forEach((pattern, found) -> {
            if (Pattern.matches(pattern + "/?", path)) {
                methods.addAll(found);
            }
        });
        return methods;
    }
}
